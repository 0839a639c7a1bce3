/* The user's settings, and those on which all ranks agreed in MPI_Init. */
#ifndef ADVISOR_ENDPOINTS_SETTINGS_H
#define ADVISOR_ENDPOINTS_SETTINGS_H

/* Pieces that this rank's environment asks for, 1 to MOST_PIECES; 1: reductions stay whole, and the
 * thread level is the program's. */
int settings_wanted(void);
/* Collective over MPI_COMM_WORLD: the fewest pieces and the highest threshold of all ranks.
 * `level`: what the library provides. */
void settings_agree(int level);
int settings_pieces(void);
/* Bytes from which a reduction is split. */
long settings_threshold(void);

#endif
